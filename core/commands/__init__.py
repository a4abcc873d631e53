"""The commands of ``python -m core``, one topic a file.

Every command prints one line of JSON on stdout (``--pretty``: for people) and its progress on stderr. It ends with 0 when it is done, also where the
body fell: the outcome says so; and with 2 and one sentence on stderr where it refuses.
"""
