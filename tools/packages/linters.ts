import { checkPackage, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { PackedPackage } from './pack.ts';

/** What publint finds, suggestions too. */
export async function publintProblems(packed: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: packed.tarball.buffer }, level: 'suggestion' });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/**
 * What "are the types wrong" finds for those who can use the packages: they are ES modules only, so the resolutions of old
 * CommonJS users do not count.
 */
export async function typesProblems({ unpacked }: PackedPackage): Promise<string[]> {
  const analysis = await checkPackage(unpacked);
  if (analysis.types === false) return ['attw: there are no types'];
  return analysis.problems.filter(concernsEsm).map((problem) => `attw: ${describe(problem)}`);
}

function concernsEsm(problem: Problem): boolean {
  if ('resolutionKind' in problem)
    return problem.resolutionKind === 'node16-esm' || problem.resolutionKind === 'bundler';
  return !('resolutionOption' in problem) || problem.resolutionOption !== 'node10';
}

function describe(problem: Problem): string {
  const { kind, ...facts } = problem;
  const shown = Object.entries(facts).filter(([name, value]) => name !== 'trace' && typeof value === 'string');
  return [kind, ...shown.map(([name, value]) => `${name} ${value}`)].join(', ');
}
