"""What the agents' own session files say: plans, texts, touched files, tokens. Pure; bytes in, facts out."""
