import { KubeError, realClock } from '@flotilla/kube';
import { exitCodeOf, type ProcessHost } from '@flotilla/process';

/** Prints a token for an EKS cluster, in place of `aws eks get-token`: a plugin of a kubeconfig for images without the AWS CLI. */
export async function runAwsToken({ argv, env, print, printError, exit }: ProcessHost): Promise<void> {
  // Loads the AWS SDK, which no other command of this program needs.
  const { execCredential, parseTokenRequest, tokenUsage } = await import('@flotilla/driver-awsirsa/token');
  if (argv.includes('--help') || argv.includes('-h')) return print(`${tokenUsage}\n`);
  try {
    print(`${await execCredential(parseTokenRequest(argv, env), realClock)}\n`);
  } catch (error) {
    const hint = error instanceof KubeError ? `\nHint: ${error.hint}` : '';
    printError(`Error: ${error instanceof Error ? error.message : error}${hint}\n`);
    exit(exitCodeOf(error));
  }
}
