#!/bin/sh
# usage: finish.sh DATA TEACHER OUT MODELS CHECKPOINT...: from cooled-down checkpoints of one run of train.py to the three ONNX files.
set -e
here=$(dirname "$0") data=$1 teacher=$2 out=$3 models=$4
shift 4
python3 "$here/average.py" "$out/shipped.pt" "$@"
python3 "$here/find_sync.py" "$data" "$teacher" "$out" "$out/shipped.pt"
python3 "$here/export.py" "$out/shipped.pt" "$out/sync.npz" "$models"
python3 "$here/curve.py" "$out" "$here"
