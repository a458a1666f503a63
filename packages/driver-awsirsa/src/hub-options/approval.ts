import { KubeError } from '@flotilla/kube';
import { compileRegex, type Regex } from '@flotilla/rules/regex';

/** Decides about ARNs by patterns. */
export type ArnPatterns = (arn: string) => boolean;

/** Reads patterns of ARNs whose clusters are accepted without an administrator. The whole ARN must match. RE2, as in OCM. */
export function compileArnPatterns(patterns: readonly string[]): ArnPatterns {
  const compiled = patterns.map((pattern) => {
    try {
      return compileRegex(pattern);
    } catch (error) {
      throw new KubeError('Config', `Failed to process auto approval ARN pattern: "${pattern}"`, {
        hint: 'Correct this entry of --auto-approved-arn-patterns: it is not a regular expression in RE2 syntax.',
        cause: error,
      });
    }
  });
  return (arn) => arn !== '' && compiled.some((pattern) => matchesWhole(pattern, arn));
}

/** The leftmost match is the whole text, which is how OCM compares: an alternative that matches less comes first and decides. */
const matchesWhole = (pattern: Regex, arn: string): boolean => pattern.find(arn, 1)[0] === arn;
