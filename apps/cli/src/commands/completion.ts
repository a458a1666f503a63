import { Argument, type Command } from 'commander';
import { type AddCommand, visibleCommands } from './command.ts';

export const addCompletion: AddCommand = (program, context) => {
  program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description('Print a script that makes a shell complete commands, flags and their choices.')
    .addArgument(new Argument('<shell>', 'shell to print it for').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(flotilla completion bash)
  $ source <(flotilla completion zsh)
  $ flotilla completion fish > ~/.config/fish/completions/flotilla.fish
`,
    )
    .action((shell: string) => {
      const words = wordsOf(program);
      context.out.write(shell === 'fish' ? fishScript(words) : bashScript(words, shell === 'zsh'));
    });
};

/** What may follow, by the command and the flag before: `''`, `'get clusters'`, `'get clusters -o'`. */
interface Words {
  readonly commands: ReadonlyMap<string, readonly string[]>;
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** Flags that may be before a command, with a value that is no command. */
  readonly valued: readonly string[];
}

function wordsOf(program: Command): Words {
  const commands = new Map<string, string[]>();
  const choices = new Map<string, readonly string[]>();
  const add = (command: Command, paths: readonly string[]) => {
    const options = [...command.options, ...program.options].filter(({ hidden }) => !hidden);
    const flags = options.flatMap(({ long }) => (long ? [long] : []));
    const children = visibleCommands(command);
    const follow = [...children.map((child) => child.name()), ...new Set([...flags, '--help'])];
    for (const path of paths) {
      commands.set(path, follow);
      for (const { short, long, argChoices } of options) {
        if (argChoices) for (const flag of [short, long]) if (flag) choices.set(`${path} ${flag}`, argChoices);
      }
    }
    for (const child of children) {
      const names = [child.name(), ...child.aliases()];
      add(
        child,
        paths.flatMap((path) => names.map((name) => `${path} ${name}`.trim())),
      );
    }
  };
  add(program, ['']);
  const valued = program.options.filter(({ required, hidden }) => required && !hidden);
  return {
    commands,
    choices,
    valued: valued.flatMap(({ short, long }) => [short, long]).filter((flag) => flag != null),
  };
}

/** A case for each path that has the same words, so that aliases cost a word and not a line. */
function cases(
  words: ReadonlyMap<string, readonly string[]>,
  write: (paths: string[], words: string) => string,
): string {
  const groups = Map.groupBy(words, ([, follow]) => follow.join(' '));
  return [...groups]
    .map(([follow, paths]) =>
      write(
        paths.map(([path]) => path),
        follow,
      ),
    )
    .join('\n');
}

/** Also for zsh, where `path` and `words` are variables of the shell itself, and lengths must begin with a digit or a dollar. */
function bashScript({ commands, choices, valued }: Words, zsh: boolean): string {
  const inBash = (words: ReadonlyMap<string, readonly string[]>) =>
    cases(
      words,
      (paths, follow) => `    ${paths.map((path) => JSON.stringify(path)).join('|')}) follow="${follow}" ;;`,
    );
  const known = [...commands.keys()].map((path) => JSON.stringify(path)).join('|');
  // Completion of zsh must be there before that of bash can be.
  const load = 'autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n';
  return `${zsh ? load : ''}_flotilla() {
  local word called="" follow="" skip=""
  local previous="\${COMP_WORDS[$((COMP_CWORD-1))]}"
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
      ${valued.join('|')}) skip=1; continue ;;
      -*) continue ;;
    esac
    case "\${called:+$called }$word" in
      ${known}) called="\${called:+$called }$word" ;;
      *) break ;;
    esac
  done
  case "$called" in
${inBash(commands)}
  esac
  case "$called $previous" in
${inBash(choices)}
  esac
  COMPREPLY=($(compgen -W "$follow" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flotilla flotilla
`;
}

function fishScript({ commands, choices, valued }: Words): string {
  const inFish = (words: ReadonlyMap<string, readonly string[]>) =>
    cases(
      words,
      (paths, follow) => `    case ${paths.map((path) => `'${path}'`).join(' ')}\n      set words ${follow}`,
    );
  const known = [...commands.keys()].map((path) => `'${path}'`).join(' ');
  return `function __flotilla_words
  set -l path
  set -l words
  set -l skip
  set -l before (commandline -opc)
  for word in $before[2..-1]
    if set -q skip[1]
      set skip
      continue
    end
    switch $word
      case ${valued.join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    set -l longer (string trim -- "$path $word")
    switch "$longer"
      case ${known}
        set path "$longer"
      case '*'
        break
    end
  end
  switch "$path"
${inFish(commands)}
  end
  switch "$path $before[-1]"
${inFish(choices)}
  end
  printf '%s\\n' $words
end
# After a flag a file may be wanted.
set -l after_flag "string match -q -- '-*' (commandline -opc)[-1]"
complete -c flotilla -n "not $after_flag" -f -a '(__flotilla_words)'
complete -c flotilla -n "$after_flag" -a '(__flotilla_words)'
`;
}
