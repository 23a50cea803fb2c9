"""Care: how the answers came about, who was lost, and what the estimate would be otherwise. Flags move nobody (M22)."""
