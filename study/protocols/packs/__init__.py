"""The three papers written from a protocol alone: for the ethics board, for data protection, for the registry (M14)."""
