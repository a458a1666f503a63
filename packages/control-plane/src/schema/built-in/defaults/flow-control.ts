import { child, type Defaulter, ensure, fill } from './fill.ts';

export const defaultFlowSchema: Defaulter = (schema) => {
  const spec = ensure(schema, 'spec');
  // Zero is the same as nothing here.
  if (spec.matchingPrecedence === 0) delete spec.matchingPrecedence;
  fill(spec, { matchingPrecedence: 1000 });
};

export const defaultPriorityLevel: Defaulter = (level) => {
  const spec = ensure(level, 'spec');
  const exempt = child(spec, 'exempt');
  if (exempt) fill(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
  const limited = child(spec, 'limited');
  if (!limited) return;
  fill(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
  const queuing = child(child(limited, 'limitResponse') ?? {}, 'queuing');
  if (!queuing) return;
  for (const name of ['handSize', 'queues', 'queueLengthLimit']) if (queuing[name] === 0) delete queuing[name];
  fill(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 });
};
