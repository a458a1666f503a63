import { ensureBinaries } from '@flotilla/envtest';
import { authenticatorProgram } from './aws/authenticator/program.ts';
import { ensureAwsCli } from './aws/aws-cli.ts';
import { ensureMoto } from './aws/moto.ts';
import { helmProgram } from './charts/helm.ts';
import { buildChecks } from './control-plane/client-go/program.ts';
import { ocmPrograms } from './ocm/programs.ts';
import { ensureTinyproxy } from './operator/tinyproxy.ts';
import type { SuiteGroup } from './suites.ts';

/** Makes what the suites of a group need, ahead of them, where the time that it takes is expected and its progress is seen. */
export const prerequisites: Readonly<Record<SuiteGroup['name'], () => Promise<unknown>>> = {
  embedded: async () => {},
  kubernetes: () => ensureBinaries(),
  'go-programs': async () => [
    await ensureBinaries(),
    await buildChecks(),
    await ocmPrograms(),
    await authenticatorProgram(),
    await helmProgram('v3'),
    await helmProgram('v4'),
    await ensureMoto(),
    await ensureAwsCli(),
    await ensureTinyproxy(),
  ],
};
