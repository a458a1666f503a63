import { nodeHost, type ProcessHost } from '@flotilla/process';
import manifest from '../../package.json' with { type: 'json' };
import { CliError } from '../errors/cli-error.ts';

const { version } = manifest;

/** The programs of a release, each loaded when it runs: this program has them all, so that pods of `up --operator` need no images. */
const programs: Readonly<Record<string, (host: ProcessHost) => Promise<void>>> = {
  async operator(host) {
    const { runOperatorProgram } = await import('@flotilla/operator/program');
    return runOperatorProgram({ name: 'flotilla-operator', version, drivers: await hubDrivers() }, host);
  },
  async hub(host) {
    const { runHubProgram } = await import('@flotilla/hub-runtime/program');
    const { token, csrAddon } = await agentDrivers();
    const addonDrivers = [token, csrAddon];
    return runHubProgram({ name: 'flotilla-hub', version, drivers: await hubDrivers(), addonDrivers }, host);
  },
  async agent(host) {
    const { runAgentProgram } = await import('@flotilla/agent-runtime/program');
    const { csr, grpc, token } = await agentDrivers();
    return runAgentProgram({ name: 'flotilla-agent', version, drivers: [csr, grpc, token] }, host);
  },
  async singleton(host) {
    const { runSingletonProgram } = await import('@flotilla/agent-runtime/program');
    const { csr, grpc, token } = await agentDrivers();
    return runSingletonProgram({ name: 'flotilla-singleton', version, drivers: [csr, grpc, token] }, host);
  },
};

export const programNames = Object.keys(programs);

/** Runs one of the programs of a release in this process, until it ends. */
export async function runProgram(name: string, args: readonly string[]): Promise<void> {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (!program) {
    throw new CliError('usage', `there is no program ${name}`, `Choose one of: ${programNames.join(', ')}.`);
  }
  await program({ ...nodeHost(), argv: args });
}

async function agentDrivers() {
  const [{ csrDriver: csr, csrAddonDriver: csrAddon }, { grpcDriver: grpc }, { tokenDriver: token }] =
    await Promise.all([
      import('@flotilla/driver-csr'),
      import('@flotilla/driver-grpc'),
      import('@flotilla/driver-token'),
    ]);
  return { csr, csrAddon, grpc, token };
}

async function hubDrivers() {
  const { csr, grpc } = await agentDrivers();
  const { awsIrsaDriver } = await import('@flotilla/driver-awsirsa');
  return [csr, awsIrsaDriver, grpc];
}
