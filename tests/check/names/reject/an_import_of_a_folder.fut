-- error: file-not-found
import "../lib"
