import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { addressWarning, invitationValue, invite, joinCommand } from '../hub/token.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';

/** The flags of `get token`. */
export interface GetTokenOptions {
  readonly useBootstrapToken?: boolean;
  readonly output: string;
}

/** Prints a token, and the command that joins a cluster with it. */
export async function getToken(context: CliContext, options: GetTokenOptions & GlobalOptions): Promise<void> {
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const invitation = await invite(context, hub, options);
  if (isMachineFormat(options.output)) {
    context.out.write(formatValue(invitationValue(invitation), options.output));
    return;
  }
  const warning = addressWarning(invitation.server);
  if (warning) context.err.write(`${warning}\n`);
  context.out.write(
    `token=${invitation.token}\nplease log on spoke and run (until ${invitation.expires}):\n${joinCommand(context.program, invitation)}\n`,
  );
}
