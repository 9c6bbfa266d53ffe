"""Makes the sentences of the kernel that the panel, the exports and scripts show as they are."""
