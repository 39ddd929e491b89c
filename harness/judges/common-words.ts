/** The 900 most frequent content words of a million words of news, encyclopaedia and dialogue, in the order of the alphabet. */
export const COMMON_WORDS = new Set(
  (
    'able academy access according across act action activation active activity actor actress added addition africa age aged ' +
    'agency ago air album almost along already although always america american among analysis andrew angeles announced annual ' +
    'another appeared april archive area areas army around art article artist artists arts asked associated association attack aug ' +
    'august australia australian author available average award awards away back background ball band bank based battle bbc beach ' +
    'became become began behind best better big bill birth black blood blue board body book books born bowl boy breast bring ' +
    'britain british brother brown building built business california call called came campaign canada canadian cancer capital ' +
    'captain car care career case cases cast cause cell cells center central centre century chairman champion champions ' +
    'championship change changes chicago chief child children china chinese chris church city class classic clear clinical close ' +
    'club coach collection college com come comedy comes coming comment comments common community company compared competition ' +
    'complete complex computer conclusions conditions conference confidence confirmed considered contact content continue control ' +
    'cost council countries country county couple course court create created cricket critical culture cup current currently daily ' +
    'data date datetime daughter david day days dead deal death debut december decided decision department dependent described ' +
    'design despite developed development diabetes didn died different digital directed director disease disney district division ' +
    'dna dog don done down drama drinking drug due earlier early earth east edition editor education effect effects eight either ' +
    'election email end energy england english enough entertainment established europe european even event events ever every ' +
    'everyone evidence executive expected experience expression face facebook fact factor factors family fans far father feature ' +
    'features february feel female festival field fight film films final financial find findings fire first five follow following ' +
    'food force forces form formed former forward found four fourth fox france free french friday friend friends front full ' +
    'function future game games gene general george german germany get getting girl girls give given global goal going good got ' +
    'government grade grand great greater green ground group groups growth half hall hand hard head health heart held help high ' +
    'higher highest himself historic history hit home hospital host hours house however https human identified image images impact ' +
    'important include included including increase increased independent india indian individuals induced industry infection ' +
    'information injury inside interest international internet interview involved ireland island issue issues jackson james ' +
    'january job john join joined jordan july june justice keep key killed kind king know known lady lake land language large ' +
    'largest last late later latest law lead leader leading least leave led lee left less let level levels life light like likely ' +
    'line list little live liverpool lives living local located london long longer look looking los loss lost lot love low lower ' +
    'machine made magazine main major make makes making male man management manager manchester many march mark market martin mass ' +
    'match matter mean means measures media medical meeting member members men met methods mice michael middle mike military ' +
    'million minister minutes mission model modern monday money month months morning mortality mother move moved movie much ' +
    'multiple museum music name named nation national natural near nearly need network never new news next nfl night nine non ' +
    'north northern novel november now number objective october office official often old older olympic one online open opening ' +
    'order organization original originally others outcome outcomes outside overall page park part participants party past ' +
    'patients paul pay people percent performance period person peter photo physical pictures place plan plans play played player ' +
    'players playing please point points police policy political politics pop popular population position positive possible post ' +
    'potential power practice present president press pressure previous previously price primary prior prison private prize ' +
    'process produced producer production professional professor program project protein provide public published publisher put ' +
    'quality quarterback race radio range rate rather ratio read reading real really received recent recently record recorded ' +
    'records red reduced region related release released remains report reported reports required research response result results ' +
    'return review richard right rights risk river road robert rock role room round royal rugby run running runs russia russian ' +
    'said sales san saturday saw say saying says school schools science score scotland scott sea search season second security see ' +
    'seen self senior september series served service services set setting seven several sex share shirt short shot show showed ' +
    'shows side sign signed significant significantly similar since singer single sir site sitting six skip small smith social ' +
    'society sold something son song soon sound south southern space special species specific spent sport sports stadium staff ' +
    'stage standing star stars start started state statement states station status stem still store stories story street strong ' +
    'student students studies studio study style sub success successful summer sun sunday super support system take taken takes ' +
    'taking target taylor team teams technology television ten tennis term terms test texas thing things think third though ' +
    'thought three throughout thursday time times title today together told tom tony took top total tour tournament towards town ' +
    'track training treatment trial trust trying tuesday twitter two type union united university upon usa use used using variety ' +
    'various version victory video view village wales walking want wanted war washington watch water way wearing web website ' +
    'wednesday week weeks weight well went west western whether white wife william williams win winning within without woman women ' +
    'won word work worked working works world writer written wrote www year years yet york young'
  ).split(' '),
);
