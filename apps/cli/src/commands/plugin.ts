import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addPlugin: AddCommand = (program, context) => {
  const plugin = program
    .command('plugin')
    .description('Find plugins: programs on your PATH whose names begin with flotilla-, which become commands');
  plugin
    .command('list')
    .summary('List the plugins on your PATH')
    .description('List the plugins on your PATH. `flotilla NAME` runs `flotilla-NAME`, unless there is such a command.')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla plugin list\n')
    .action(async (_options, self) => {
      const { listPlugins } = await import('../plugins.ts');
      const { formatResult } = await import('../output/result.ts');
      const files = await listPlugins(context.env);
      const { output } = allOptions<{ output: string }>(self);
      context.out.write(formatResult(output, { text: files.map((file) => `${file}\n`).join(''), value: files }));
      if (files.length === 0) context.err.write('There is no program on your PATH whose name begins with flotilla-.\n');
    });
};
