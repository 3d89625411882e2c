-- error: file-not-found
import "../lib/shapes.fut"
