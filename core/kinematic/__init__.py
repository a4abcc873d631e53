"""Motion without simulation: clips in, clips out."""
