#!/bin/sh
# Starts train.py in the background at the lowest priority, or resumes it; does nothing where it runs already.
#
#     PYTHON=python3 start.sh --data FOLDER --out FOLDER [--cooldown-steps N ...]
#
# OUT gets `pid` and `output.txt` beside the checkpoints and log.jsonl.
set -eu
here=$(dirname "$(readlink -f "$0")")
out=out/training/faces previous=
for argument in "$@"; do
  [ "$previous" = --out ] && out=$argument
  previous=$argument
done
mkdir -p "$out"
if [ -s "$out/pid" ] && grep -aqs train.py "/proc/$(cat "$out/pid")/cmdline"; then
  echo "already running as $(cat "$out/pid")"
  exit 0
fi
setsid nohup nice -n 19 "${PYTHON:-python3}" "$here/train.py" "$@" >>"$out/output.txt" 2>&1 </dev/null &
pid=$!
echo "$pid" >"$out/pid"
# Niceness counts only within a scheduling group, and a session of its own has its own group.
sleep 1
echo 19 2>/dev/null >"/proc/$pid/autogroup" || true
echo "running as $pid"
