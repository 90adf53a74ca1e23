#!/bin/sh
# usage: train.sh DATA TEACHER OUT MODELS: from data to the three ONNX files; goes on where it was interrupted.
set -e
here=$(dirname "$0")
for stage in prepare train_visual train_audio embed find_sync train_backend; do python3 "$here/$stage.py" "$1" "$2" "$3"; done
python3 "$here/export.py" "$3" "$4" 1.1 0.4
python3 "$here/curve.py" "$3" "$here"
