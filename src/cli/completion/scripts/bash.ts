/** The script for bash. */

export const bashScript = `# bash completion for sonde.
# To enable it in every shell, add this line to ~/.bashrc:  source <(sonde completion bash)
# or, with bash-completion: sonde completion bash > ~/.local/share/bash-completion/completions/sonde
# For an alias s: complete -F _sonde s

_sonde() {
  local program=$1 head= line
  [[ $program == "~/"* ]] && program=$HOME/\${program:2}
  case $(type -t -- "$program") in
    file | function) ;;
    *) program=sonde ;;
  esac
  COMPREPLY=()
  {
    IFS= read -r head
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$program" __complete bash "$COMP_POINT" "$COMP_TYPE" "$COMP_WORDBREAKS" "$COMP_LINE" 2>/dev/null)
  case $head in
    files*) compopt -o default 2>/dev/null ;;
    folders*) compopt -o dirnames 2>/dev/null ;;
  esac
  case $head in *nospace*) compopt -o nospace 2>/dev/null ;; esac
  case $head in *nosort*) compopt -o nosort 2>/dev/null ;; esac
}

complete -F _sonde sonde
`;
