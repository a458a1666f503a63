import { runSingletonProgram } from '@flotilla/agent-runtime/program';
import { awsIrsaAgentDriver } from '@flotilla/driver-awsirsa/agent-only';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import { tokenDriver } from '@flotilla/driver-token';
import manifest from '../package.json' with { type: 'json' };

// Another auth type is another element of `drivers`; the first is the default.
await runSingletonProgram({
  name: 'flotilla-singleton',
  version: manifest.version,
  drivers: [csrDriver, awsIrsaAgentDriver, grpcDriver, tokenDriver],
});
