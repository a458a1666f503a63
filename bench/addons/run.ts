// `npm run bench:addons` in bench: our add-on manager against that of Open Cluster Management. Each has a hub of its own. Whatever runs beside it is
// a part of the benchmark and the same for both: agents for a template add-on, and otherwise also the manager of the add-on.
import { realClock } from '@flotilla/kube';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';
import { runSections } from '../lib/run-sections.ts';
import { type Cost, hubCost } from '../registration/hub-cost.ts';
import { type Contestant, startContestant, user } from './contestants.ts';
import { AddonFleet } from './fleet.ts';
import { measureFloor } from './floor.ts';
import { type AddOnMaking, makings } from './making.ts';

const clusterCount = 300;
const rounds = 2;
const settleMs = 3000;

interface Measured {
  readonly enable: Cost;
  readonly change: Cost;
  readonly disable: Cost;
  readonly mib: number;
}

type Who = 'ours' | 'ocm';

/** One round with one add-on manager; nothing of it is left for the next. */
async function measure(
  { server, start }: Contestant,
  fleet: AddonFleet,
  making: AddOnMaking,
  round: number,
): Promise<Measured> {
  await using _others = making.start(server.client);
  await using program = await start();
  const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
    await realClock.sleep(settleMs);
    return hubCost(program, server, user, work);
  };
  const enable = await costOf(() => fleet.enable());
  const change = await costOf(() => fleet.change(`${round}`));
  const mib = await rssMiB(program.pid);
  const disable = await costOf(() => fleet.disable());
  await fleet.clear();
  return { enable, change, disable, mib };
}

async function againstOcm(name: string, making: AddOnMaking): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const prepare = async (who: Who) => {
    const contestant = cleanup.use(await startContestant(who));
    const fleet = cleanup.use(new AddonFleet(contestant.server.client, clusterCount, making));
    await fleet.create();
    return { contestant, fleet };
  };
  const both = { ours: await prepare('ours'), ocm: await prepare('ocm') };
  const floor = await measureFloor(both.ours.contestant.server.client);
  console.error(`without any add-on manager: ${JSON.stringify(floor)}`);
  const measured: Record<Who, Measured[]> = { ours: [], ocm: [] };
  for (let round = 0; round < rounds; round++) {
    for (const who of ['ours', 'ocm'] as const) {
      const one = await measure(both[who].contestant, both[who].fleet, making, round);
      console.error(`round ${round} of ${who}: ${JSON.stringify(one)}`);
      measured[who].push(one);
    }
  }
  const figure = (what: string, unit: string, limit: number | undefined, pick: (one: Measured) => number): Figure => ({
    what,
    unit,
    ours: median(measured.ours.map(pick)),
    peer: { name: 'OCM', value: median(measured.ocm.map(pick)) },
    ...(limit !== undefined && { limit }),
  });
  const costs = (what: string, pick: (one: Measured) => Cost, least: number): Figure[] => [
    figure(what, 's', making.bound, (one) => pick(one).seconds),
    {
      what: '… compared with the least that is possible: the same requests without any add-on manager',
      unit: 's',
      ours: median(measured.ours.map((one) => pick(one).seconds)),
      peer: { name: 'floor', value: least },
    },
    figure('… CPU of the add-on manager', 's', undefined, (one) => pick(one).cpu),
    figure('… requests of the add-on manager', '', undefined, (one) => pick(one).requests),
  ];
  return [
    ...costs(`enable ${name} on ${clusterCount} clusters`, ({ enable }) => enable, floor.enable),
    ...costs('change its configuration', ({ change }) => change, floor.change),
    ...costs('disable it', ({ disable }) => disable, floor.disable),
    figure('RSS', 'MiB', 1.2, ({ mib }) => mib),
  ];
}

const only = process.argv[2];
await runSections(
  Object.entries(makings)
    .filter(([name]) => only === undefined || name.includes(only))
    .map(([name, making]) => [name, () => againstOcm(name, making)] as const),
);
