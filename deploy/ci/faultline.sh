#!/bin/sh
# Posts the log of a failed step to a Faultline server and prints what came back: docs/ci.md. Needs curl, and nothing
# else that an image with a shell lacks. Usage: faultline.sh github|gitlab, with the variables below.
#
# The log is hostile: nothing of it becomes part of a command, and of the answer only annotations reach the runner. The
# key is in no argument, where other processes would see it. Whatever goes wrong is one sentence, and no failure unless
# FAULTLINE_FAIL_ON says so: the step that failed before is what the run is about.
set -eu

ci=${1:-$FAULTLINE_CI}
server=${FAULTLINE_SERVER:-}
project=${FAULTLINE_PROJECT:-}
key=${FAULTLINE_API_KEY:-}
log=${FAULTLINE_LOG:-}
ref=${FAULTLINE_REF:-${GITHUB_SHA:-${CI_COMMIT_SHA:-}}}
mode=${FAULTLINE_MODE:-answer}       # context: no model is asked
model=${FAULTLINE_MODEL:-}           # empty: the one that the server is configured with
locale=${FAULTLINE_LOCALE:-}         # of the explanation
sarif=${FAULTLINE_SARIF:-}           # a file for the report as SARIF
comment=${FAULTLINE_COMMENT:-}       # a file for the report in Markdown
quality=${FAULTLINE_CODE_QUALITY:-}  # a file for the report as GitLab reads it
fail_on=${FAULTLINE_FAIL_ON:-never}  # never, project, any or error, each of which includes the ones before it
timeout=${FAULTLINE_TIMEOUT:-300}    # seconds for one answer
max_bytes=${FAULTLINE_MAX_BYTES:-8000000} # the server takes 10 MiB

# One sentence for a person. It holds nothing of the log.
say () {
  text=$(printf '%s' "$1" | tr '\r\n' '  ')
  case $ci in
    github) printf '::warning title=Faultline::%s\n' "$(printf '%s' "$text" | sed 's/%/%25/g')" ;;
    *) printf 'Faultline: %s\n' "$text" ;;
  esac
}

# Ends without an answer.
give_up () {
  ended=true
  say "$1"
  if [ "$fail_on" = error ]; then exit 1; fi
  exit 0
}

# Every byte as %XX: right in a query whatever the text is.
encoded () { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

# Both ends of the log, which say how it began and how it ended, in as many bytes.
both_ends () {
  size=$(wc -c < "$log" | tr -d ' ')
  if [ "$size" -le "$1" ]; then
    cat "$log"
  else
    head -c $(($1 / 2)) "$log"
    printf '\n[... %s bytes left out ...]\n' $((size - $1 / 2 * 2))
    tail -c $(($1 / 2)) "$log"
  fi
}

# The header with the key, as curl reads it from its standard input.
key_line () {
  if [ -n "$key" ]; then
    printf 'header = "Authorization: Bearer %s"\n' "$(printf '%s' "$key" | tr -d '\r\n' | sed 's/[\\"]/\\&/g')"
  fi
}

# ask TYPE MODE FILE: the answer of that type in the file; in $status its HTTP status, 000 for none, or timeout.
ask () {
  query="project_name=$(encoded "$project")&mode=$(encoded "$2")"
  if [ -n "$ref" ]; then query="$query&ref=$(encoded "$ref")"; fi
  if [ -n "$locale" ]; then query="$query&locale=$(encoded "$locale")"; fi
  if [ -n "$model" ] && [ "$2" != context ]; then query="$query&model=$(encoded "$model")"; fi
  status=$(key_line | curl --config - --silent --proto '=http,https' --max-time "$timeout" --retry 2 \
    --retry-max-time "$timeout" --header 'Content-Type: text/plain; charset=utf-8' --header "Accept: $1" \
    --header 'Expect:' \
    --data-binary @"$work/log" --dump-header "$work/headers" --output "$3" --write-out '%{http_code}' \
    "${server%/}/resolve?$query") || case $? in 28) status=timeout ;; *) status=000 ;; esac
}

# The value of a header of the last answer, if it is made of what such values are made of.
header () {
  tr -d '\r' < "$work/headers" | tr 'A-Z' 'a-z' | sed -n "s/^faultline-$1: *\([a-z0-9_,]*\)\$/\1/p" | tail -n 1
}

# Appends the report to the summary of the step, of which GitHub takes a megabyte or nothing.
summarize () {
  if [ "$(cat "$1" "$work/comment" 2> /dev/null | wc -c)" -gt 1048576 ]; then
    say 'The summary of this step is full; nothing was added to it.'
  else
    { cat "$work/comment" >> "$1"; } 2> /dev/null || say "$1 could not be written."
  fi
}

# keep REPORT FILE: writes a report to where the job wants it.
keep () { { cat "$1" > "$2"; } 2> /dev/null || say "$2 could not be written."; }

# Removes what is temporary; tells of what nobody foresaw, such as a full disk.
finish () {
  rm -rf "$work"
  if [ "$ended" = false ]; then give_up 'The report could not be finished.'; fi
}

# What a status means to who reads the log of the run.
reason () {
  case $1 in
    000) echo "No Faultline server answered at $server." ;;
    timeout) echo "The server at $server gave no answer within $timeout s." ;;
    400) echo "The server at $server refused the request (HTTP 400): check the inputs." ;;
    401 | 403) echo "The server at $server refused the API key (HTTP $1)." ;;
    404) echo "The server at $server has no project $project, or the key may not see it (HTTP 404)." ;;
    406) echo "The server at $server is of a release that does not report to CI (HTTP 406)." ;;
    409) echo "The index of $project is not ready (HTTP 409)." ;;
    413) echo "The log is too big for the server at $server, even shortened (HTTP 413)." ;;
    429 | 503) echo "The server at $server is too busy (HTTP $1)." ;;
    *) echo "The server at $server answered with HTTP $1." ;;
  esac
}

case $fail_on in
  never | project | any | error) ;;
  *) give_up "fail-on is one of never, project, any and error." ;;
esac
if [ -z "$server" ] || [ -z "$project" ]; then give_up 'No server or no project is named; nothing was sent.'; fi
case $log in -*) log=./$log ;; esac
if [ ! -f "$log" ]; then give_up "There is no log ${log:-(none is named)}; nothing was sent."; fi
if [ ! -s "$log" ]; then give_up "The log $log is empty; nothing was sent."; fi
if ! command -v curl > /dev/null; then give_up 'There is no curl in this image; nothing was sent.'; fi

work=$(mktemp -d 2> /dev/null) || give_up 'There is no place for temporary files; nothing was sent.'
ended=false
trap finish EXIT

# The first answer, which asks no model: it says whether there is a fault. A proxy may take less than the server does.
case $ci in
  github) first=text/vnd.faultline.github ;;
  *) first=application/vnd.faultline.gitlab+json ;;
esac
for bytes in "$max_bytes" 900000; do
  both_ends "$bytes" > "$work/log"
  ask "$first" context "$work/first"
  if [ "$status" != 413 ]; then break; fi
done
if [ "$status" != 200 ]; then give_up "$(reason "$status")"; fi
fault=$(header fault)
resolutions=$(header resolutions)

if [ "$ci" = github ]; then
  grep -E '^::(error|warning|notice) ' "$work/first" || :
elif [ -n "$quality" ]; then
  keep "$work/first" "$quality"
fi

if [ -n "$sarif" ]; then
  ask application/sarif+json context "$work/sarif"
  if [ "$status" = 200 ]; then keep "$work/sarif" "$sarif"; else say "$(reason "$status") There is no $sarif."; fi
fi

# The explanation, which a model may take its time for.
if [ "$ci" = github ] || [ -n "$comment" ]; then
  ask text/vnd.faultline.comment "$mode" "$work/comment"
  if [ "$status" = 200 ]; then
    resolutions=$(header resolutions)
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then summarize "$GITHUB_STEP_SUMMARY"; fi
    if [ -n "$comment" ]; then keep "$work/comment" "$comment"; fi
  else
    say "$(reason "$status") The faults are not explained."
  fi
fi
if [ "$ci" != github ] && [ -n "$comment" ]; then
  if [ "$status" = 200 ]; then cat "$work/comment"; fi
elif [ "$ci" != github ]; then
  ask text/plain "$mode" "$work/text"
  if [ "$status" = 200 ]; then cat "$work/text"; else say "$(reason "$status")"; fi
fi

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  {
    printf 'fault=%s\nresolutions=%s\n' "$fault" "$resolutions"
    if [ -n "$resolutions" ]; then printf 'resolution-url=%s/resolutions/%s\n' "${server%/}" "${resolutions%%,*}"; fi
  } >> "$GITHUB_OUTPUT"
fi

ended=true
case $fail_on:$fault in
  project:project | any:project | any:elsewhere | error:project | error:elsewhere) exit 1 ;;
esac
