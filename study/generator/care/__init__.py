"""Customer care: cases with their history, letters and chats; orders of a world that sells over the counter."""
