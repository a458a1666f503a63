import { connect } from '../connect.ts';
import { requireHub } from '../hub/accept.ts';
import { addressWarning, invitationValue, invite, joinCommand } from '../hub/token.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addGetToken: AddCommand = (get, context) => {
  get
    .command('token')
    .description('A token with which clusters can ask to join, good for an hour, and the command to run there.')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get token
  $ flotilla get token -o json | jq -r '."hub-token"'
`,
    )
    .action(async (_options, command) => {
      const { output, ...options } = allOptions<{ output: string }>(command);
      await using hub = await connect(context, options);
      await requireHub(hub.client);
      const invitation = await invite(hub.client, hub.access, context.clock);
      if (isMachineFormat(output)) {
        context.out.write(formatValue(invitationValue(invitation), output));
        return;
      }
      const warning = addressWarning(invitation.server);
      if (warning) context.err.write(`${warning}\n`);
      context.out.write(
        `token=${invitation.token}\nplease log on spoke and run (until ${invitation.expires}):\n${joinCommand(context.program, invitation)}\n`,
      );
    });
};
