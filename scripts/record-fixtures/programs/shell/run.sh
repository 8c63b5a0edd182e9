#!/bin/bash
open_till() {
  missing_command --now
  cd /no/such/folder
}
open_till
echo $((1 / 0))
