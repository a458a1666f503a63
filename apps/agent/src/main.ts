import { runAgentProgram } from '@flotilla/agent-runtime/program';
import { awsIrsaAgentDriver } from '@flotilla/driver-awsirsa/agent-only';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import { tokenDriver } from '@flotilla/driver-token';
import manifest from '../package.json' with { type: 'json' };
import { runAwsToken } from './aws-token.ts';

// Another auth type is another element of `drivers`; the first is the default.
await runAgentProgram({
  name: 'flotilla-agent',
  version: manifest.version,
  drivers: [csrDriver, awsIrsaAgentDriver, grpcDriver, tokenDriver],
  commands: {
    'aws-token': {
      description: 'Print a token for an EKS cluster, as "aws eks get-token" does.',
      run: runAwsToken,
    },
  },
});
