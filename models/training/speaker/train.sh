#!/bin/sh
# usage: train.sh DATA TEACHER OUT MODELS: from data to the three ONNX files; goes on where it was interrupted.
set -e
here=$(dirname "$0")
stage() { name=$1; shift; python3 "$here/$name.py" "$@"; }
stage prepare "$1" "$2" "$3"
stage train_visual "$1" "$2" "$3" 2200
stage train_audio "$1" "$2" "$3" 2500
stage embed "$1" "$2" "$3" 5
stage find_sync "$1" "$2" "$3"
stage train_backend "$1" "$2" "$3" 700
stage export "$3" "$4" 1.1 0.4
stage curve "$3" "$here"
