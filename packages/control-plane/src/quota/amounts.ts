import { addQuantities, compareQuantities, subtractQuantities } from '@flotilla/schema';

/** Quantities by the name of what is counted: `pods`, `requests.cpu`, `count/widgets.example.com`. */
export type Amounts = Readonly<Record<string, string>>;

/** Only the amounts of these names. */
export const masked = (amounts: Amounts, names: Iterable<string>): Amounts => {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(amounts).filter(([name]) => wanted.has(name)));
};

export function sum(left: Amounts, right: Amounts): Amounts {
  const total: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) total[name] = addQuantities(total[name] ?? '0', amount);
  return total;
}

/** What the first has more than the second; what it has less is left out, as is what does not change. */
export const increase = (now: Amounts, before: Amounts): Amounts =>
  withoutZeros(
    Object.fromEntries(
      Object.entries(now).map(([name, amount]) => [name, subtractQuantities(amount, before[name] ?? '0')]),
    ),
  );

export const withoutZeros = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([, amount]) => compareQuantities(amount, '0') > 0));

/** The names whose amount is more than the limit for it. */
export const exceeding = (amounts: Amounts, limits: Amounts): string[] =>
  Object.entries(amounts).flatMap(([name, amount]) => {
    const limit = limits[name];
    return limit !== undefined && compareQuantities(amount, limit) > 0 ? [name] : [];
  });

/** `cpu=1,pods=2`, as refusals show amounts. */
export const amountsText = (amounts: Amounts): string =>
  Object.keys(amounts)
    .sort()
    .map((name) => `${name}=${amounts[name]}`)
    .join(',');
