"""Learned controllers: a body does what samples of a motion did in states like its own (Sok, Kim and Lee 2007, SIMMOCAP)."""
