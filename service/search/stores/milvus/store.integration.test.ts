import { milvusPlace } from '../../testing/place.ts';
import { describeStore } from '../../testing/store-suite.ts';

describeStore('Milvus', milvusPlace);
