import type { AddCommand } from './command.ts';

export const addOptions: AddCommand = (program, context) => {
  program
    .command('options')
    .summary('Print the flags of all commands')
    .description('Print the flags that every command takes.')
    .addHelpText('after', '\nExamples:\n  $ flotilla options\n')
    .action(() => {
      const help = program.createHelp();
      const lines = program.options.map((option) => `  ${help.optionTerm(option).padEnd(22)} ${option.description}\n`);
      context.out.write(`Every command takes:\n\n${lines.join('')}`);
    });
};
