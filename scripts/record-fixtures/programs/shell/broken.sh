if true; then
  echo open
done
