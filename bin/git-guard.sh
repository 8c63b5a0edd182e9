# Started by src/repos/git-client.ts in place of git: sh git-guard.sh <git's arguments>. The same as git-guard.ts, which says why, in a tenth
# of the time; it needs setsid.
command -v git > /dev/null || exit 97
git=
stopped=

# By its id, too: in its first instant it has no group yet.
stop () {
  stopped=1
  [ -n "$git" ] || return 0
  kill -s KILL -- "-$git" 2> /dev/null || { kill -s KILL "$git"; kill -s KILL -- "-$git"; } 2> /dev/null
}
trap stop INT TERM HUP # before git is there, or a stop right after the start would end this shell alone

exec 3<&0
[ -z "$stopped" ] || exit 130
# Linux divides the processors between sessions before it looks at nice, so both are set.
begin='{ [ -z "$GIT_GUARD_NICE" ] || { renice -n "$GIT_GUARD_NICE" -p $$; echo "$GIT_GUARD_NICE" > /proc/self/autogroup; }; } > /dev/null 2>&1; exec git "$@"'
/usr/bin/setsid /bin/sh -c "$begin" git "$@" < /dev/null 3<&- &
git=$!
[ -z "$stopped" ] || stop # told while git had no name here

{ while read -r _; do :; done; stop; } <&3 > /dev/null 2>&1 3<&- &
watch=$!
exec 3<&-

wait "$git"
code=$?
kill -s KILL -- "-$git" 2> /dev/null # a helper that git left behind
kill -s KILL "$watch" 2> /dev/null
exit "$code"
