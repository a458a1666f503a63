import { Argument, type Command } from 'commander';
import { type AddCommand, visibleCommands } from './command.ts';

export const addCompletion: AddCommand = (program, context) => {
  program
    .command('completion')
    .summary('Print a completion script for a shell')
    .description('Print a script that makes a shell complete commands and flags.')
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

/** What may follow a command, by its path: `''`, `'get'`, `'get clusters'`. */
function wordsOf(command: Command, path = ''): Map<string, string[]> {
  const flags = [command, command.parent?.parent ?? command.parent]
    .flatMap((each) => each?.options ?? [])
    .flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const children = visibleCommands(command);
  const names = children.map((child) => child.name());
  const words = new Map([[path, [...names, ...new Set([...flags, '--help'])]]]);
  for (const child of children) {
    for (const [key, value] of wordsOf(child, `${path} ${child.name()}`.trim())) words.set(key, value);
  }
  return words;
}

function bashScript(words: ReadonlyMap<string, readonly string[]>, zsh: boolean): string {
  const cases = [...words].map(
    ([path, follow]) => `    ${JSON.stringify(path)}) words=${JSON.stringify(follow.join(' '))} ;;`,
  );
  return `${zsh ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_flotilla() {
  local word path="" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _flotilla flotilla
`;
}

function fishScript(words: ReadonlyMap<string, readonly string[]>): string {
  return [...words]
    .map(([path, follow]) => {
      const seen = path
        .split(' ')
        .filter((word) => word !== '')
        .map((word) => `__fish_seen_subcommand_from ${word}`);
      const condition = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
      return `complete -c flotilla -f -n '${condition}' -a '${follow.join(' ')}'\n`;
    })
    .join('');
}
