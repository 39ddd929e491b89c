/** Changes what a published index says of itself, such as a calibrated gate. */
import { CodedError } from '../../../contract.ts';
import type { Meta } from '../index-store.ts';
import type { Address } from './address.ts';
import { openBuilding } from './building.ts';
import { openEngine } from './client.ts';
import { buildNamed, loadBuild, targetOf } from './collections.ts';
import { factsIn } from './facts.ts';
import { metaOf } from './view.ts';

/** Refused while another build is being made, which would not have it. */
export async function writeMilvusMeta(address: Address, values: Meta): Promise<void> {
  const engine = await openEngine(address);
  try {
    const target = await targetOf(engine, address.collection);
    if (target === undefined) throw new CodedError('not_found', `There is no index ${address.name}.`);
    const base = buildNamed(target);
    await loadBuild(engine, base);
    const building = await openBuilding(engine, base, undefined);
    try {
      const { generation: _, ...meta } = await metaOf(factsIn(engine, base.facts), target);
      await factsIn(engine, base.facts).put(new Map([['meta', JSON.stringify({ ...meta, ...values })]]));
    } finally {
      await building.leave(building.staged.size > 0);
    }
  } finally {
    engine.close();
  }
}
