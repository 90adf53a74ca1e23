#!/bin/sh
# Starts the train.py of a folder in the background at the lowest priority, or resumes it; does nothing where it runs already.
#
#     PYTHON=python3 start.sh faces|speaker --data FOLDER --out FOLDER [--cooldown-steps N ...]
#
# OUT gets `pid` and `output.txt` beside the checkpoints and log.jsonl.
set -eu
script=$(dirname "$(readlink -f "$0")")/$1/train.py
out=out/training/$1 previous=
shift
for argument in "$@"; do
  [ "$previous" = --out ] && out=$argument
  previous=$argument
done
mkdir -p "$out"
if [ -s "$out/pid" ] && grep -aqs train.py "/proc/$(cat "$out/pid")/cmdline"; then
  echo "already running as $(cat "$out/pid")"
  exit 0
fi
setsid nohup nice -n 19 "${PYTHON:-python3}" "$script" "$@" >>"$out/output.txt" 2>&1 </dev/null &
pid=$!
echo "$pid" >"$out/pid"
# Niceness counts only within a scheduling group, and a session of its own has its own group.
sleep 1
echo 19 2>/dev/null >"/proc/$pid/autogroup" || true
echo "running as $pid"
