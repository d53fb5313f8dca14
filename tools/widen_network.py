#!/usr/bin/env python3
"""Writes a network with more hidden units that evaluates every position as the given one does.

    python3 tools/widen_network.py IN.net HIDDEN OUT.net

The new units have input weights like the old ones, drawn anew, and output weights of zero. So searches with both networks
visit the same nodes, and the ratio of their speeds is what the width costs:

    firstborn bench --eval-file IN.net; firstborn bench --eval-file OUT.net
"""

import os
import random
import struct
import sys
import tempfile
import zlib

INPUTS = 768
HEADER = struct.Struct("<8s5I")


def widened(data, hidden):
    if len(data) < HEADER.size or data[:8] != b"FIRSTNET":
        sys.exit("not a network of version 1")
    magic, version, old, buckets, mark, length = HEADER.unpack_from(data)
    if version != 1:
        sys.exit("not a network of version 1")
    # Inputs and biases of the hidden layer, output weights of either side, output biases, checksum.
    whole = HEADER.size + length + 2 * old * (INPUTS + 1) + 4 * buckets * old + 4 * buckets + 4
    if len(data) != whole or struct.unpack("<I", data[-4:]) != (zlib.crc32(data[:-4]),):
        sys.exit("the network is damaged")
    if hidden < old or hidden % 32 or hidden > 1024:
        sys.exit(f"the width must be a multiple of 32 from {old} to 1024")
    at = HEADER.size + length
    count = old * (INPUTS + 1)
    inputs = struct.unpack_from(f"<{count}h", data, at)
    outputs = struct.unpack_from(f"<{2 * buckets * old}h", data, at + 2 * count)
    biases = data[at + 2 * count + 4 * buckets * old : -4]
    choice = random.Random(hidden)
    more = hidden - old
    rows = []
    for row in range(INPUTS + 1):
        weights = inputs[row * old : (row + 1) * old]
        rows += weights + tuple(choice.choices(weights, k=more))
    heads = []
    for half in range(2 * buckets):
        heads += outputs[half * old : (half + 1) * old] + (0,) * more
    words = b"for measuring speed: the units from %d on have output weights of zero" % old
    body = HEADER.pack(magic, version, hidden, buckets, mark, len(words)) + words
    body += struct.pack(f"<{len(rows)}h", *rows) + struct.pack(f"<{len(heads)}h", *heads) + biases
    return body + struct.pack("<I", zlib.crc32(body))


def main():
    if len(sys.argv) != 4 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    wide = widened(data, int(sys.argv[2]))
    # Whole or not at all, also where it takes the place of another network.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(sys.argv[3]) or ".") as folder:
        new = os.path.join(folder, "new")
        with open(new, "wb") as file:
            file.write(wide)
        os.replace(new, sys.argv[3])


if __name__ == "__main__":
    main()
