#!/bin/sh
# usage: finish.sh DATA TEACHER OUT MODELS: from a finished cool-down of train.py to the three ONNX files.
set -e
here=$(dirname "$0")
python3 "$here/find_sync.py" "$1" "$2" "$3" "$3/cool.pt"
python3 "$here/export.py" "$3/cool.pt" "$3/sync.npz" "$4"
python3 "$here/curve.py" "$3" "$here"
