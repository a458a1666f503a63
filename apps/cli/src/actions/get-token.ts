import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { grpcAdvice } from '../hub/grpc-join-info.ts';
import { addressWarning, createJoinInfo, joinCommand, joinInfoValue } from '../hub/join-info.ts';
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
  const joinInfo = await createJoinInfo(context, hub, options);
  if (isMachineFormat(options.output)) {
    context.out.write(formatValue(joinInfoValue(joinInfo), options.output));
    return;
  }
  const warning = addressWarning(joinInfo.server);
  if (warning) context.err.write(`${warning}\n`);
  context.out.write(
    `token=${joinInfo.token}\nplease log on spoke and run (until ${joinInfo.expires}):\n${joinCommand(context.program, joinInfo)}\n${grpcAdvice(context.program, joinInfo)}`,
  );
}
