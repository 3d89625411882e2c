"""The version of the package; programs travel between processes of the same one."""

VERSION = "0.1.0"
