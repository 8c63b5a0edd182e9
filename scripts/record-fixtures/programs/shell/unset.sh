set -u
echo "$UNSET_NAME"
