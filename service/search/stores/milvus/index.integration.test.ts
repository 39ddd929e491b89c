import { describeIndexing } from '../../testing/index-suite.ts';
import { milvusPlace } from '../../testing/place.ts';

describeIndexing('Milvus', milvusPlace);
