#!/bin/sh
# A bot: any POSIX shell. Write `choose`; the rest may stay as it is.

# Pick between $least and $most different ones of $count options, by index, into $picks, with commas between. Here: any.
#
# $line is the whole question: options, then what you see, then what happened;
#   case $line in *'"step":"sale"'*) ... ;; esac
# finds a field. `arena rules GAME` tells what there is. Look at things with `echo ... >&2`.
choose() {
  below $((most - least + 1))
  size=$((least + value))
  picks=,
  while [ "$size" -gt 0 ]; do
    below "$count"
    case $picks in
      *",$value,"*) ;; # picked already: draw again
      *)
        picks=$picks$value,
        size=$((size - 1))
        ;;
    esac
  done
  picks=${picks#,}
  picks=${picks%,}
}

# below N: a number from 0 to N - 1, into $value
below() {
  dice=$(((dice * 1103515245 + 12345) % 2147483648))
  value=$((dice / 65536 % $1))
}

# number FIELD: the number behind the first key of that name in $line, into $value. It is the message's own:
# `arena docs protocol` promises the order of the fields.
number() {
  rest=${line#*\"$1\":}
  value=${rest%%[!0-9]*}
}

while IFS= read -r line; do
  case $line in
    '{"type":"hello",'*)
      number seed
      dice=$((value % 2147483647)) # a match begins: its seed lets equal questions get equal answers
      echo '{"type":"ready"}'
      ;;
    '{"type":"decide",'*)
      id=${line#*\"id\":\"}
      id=${id%%\"*}
      number least
      least=$value
      number most
      most=$value
      number count
      count=$value
      choose
      # a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
      echo "{\"type\":\"choose\",\"id\":\"$id\",\"picks\":[$picks]}"
      ;;
  esac
done
