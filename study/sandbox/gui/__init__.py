"""The pages of the sandbox."""
