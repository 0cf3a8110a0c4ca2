#!/usr/bin/env bash
# Tests, deploys, holds until sonde's checks have passed, and only then promotes to everybody. Rolls back on nothing but a
# bad verdict that was seen.
#
#   DEPLOY='kubectl apply -f canary.yaml' CALL='notify on-call' ./release.sh
#
# SONDE_API_KEY, SONDE_BASE_URL and SONDE_ACCOUNT_ID stand in the environment. Ends with 0 only where it has promoted.

# pipefail: a pipe is as bad as its worst command, not as good as its last.
set -euo pipefail

TAG=${TAG:-smoke}
LOCATION=${LOCATION:-eu-west-1}
TIMEOUT=${TIMEOUT:-10m}
REPORT=${REPORT:-sonde.xml}
DEPLOY=${DEPLOY:-./scripts/deploy.sh}
PROMOTE=${PROMOTE:-./scripts/promote.sh}
ROLL_BACK=${ROLL_BACK:-./scripts/roll-back.sh}
CALL=${CALL:-echo} # is given a sentence for whoever is on call

# However it ends, also by Ctrl-C or by a runner that stops it, somebody is told what stands. A signal is obeyed once the
# command that runs has ended; terminals and runners send it to that command, too.
state='nothing was deployed'
leave() {
  code=$?
  trap - EXIT
  [ "$code" -eq 0 ] || bash -c "$CALL \"\$1\"" call "Release ended with $code: $state" || true
  exit "$code"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# What fails before the release, says nothing about the release. Test sessions raise no alerts.
sonde test-sessions run --tag "$TAG" --name 'Before the release' --run-location "$LOCATION" -o plain |
  sonde test-sessions wait - --timeout "$TIMEOUT"

state='broken off while deploying, look at what is there'
bash -c "$DEPLOY"

state='deployed and neither promoted nor rolled back'
code=0
sonde checks run --tag "$TAG" --timeout "$TIMEOUT" --report "junit:$REPORT" || code=$?
case $code in
  0) # every check was seen to pass
    state='broken off while promoting, look at what is there'
    bash -c "$PROMOTE"
    ;;
  1) # a check failed: what was deployed is bad
    state='bad, and not rolled back: do it by hand'
    bash -c "$ROLL_BACK"
    state='bad, and rolled back'
    ;;
  6 | 7) # out of reach, or still running at the deadline: nobody knows, so that neither is right
    state="no verdict, $state"
    ;;
  8) # somebody cancelled a session, and will know why
    state="a check was cancelled, $state"
    ;;
  129 | 130 | 143) # interrupted: as without a verdict
    ;;
  *) # 2 a wrong option, 3 refused, 4 the key, 5 no check has the tag: the gate is wrong, not the release
    state="the gate is not well set up, $state"
    ;;
esac
exit "$code"
