"""Make the database of foot pressure that is shipped again:

    python presets/make_repertoire.py [-o presets/pressure/repertoire.npz]

It takes about a minute, and gives the same file every time. What is done in it is written in core/pressure/repertoire/actions.py, and who does it in
takes.py beside it.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.pressure.database import SHIPPED
from core.pressure.repertoire.takes import build


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=SHIPPED)
    options = parser.parse_args()
    database = build(lambda done, doing: print(f"{done:4.0%} {doing}", flush=True))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    database.save(options.output)
    print(f"{options.output}: {len(database.takes)} takes, {', '.join(database.names)}")


if __name__ == "__main__":
    main()
