//! Cases of automata on CUDA: graphs, and texts past 2^31 bytes.

use crate::{Kind, Machine, text};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use upsweep::Count;
use upsweep_testing::backends::GRAPH_FAULTS;
use upsweep_testing::place::{CAPTURE, Place, to_cuda};
use upsweep_testing::random::Rng;
use upsweep_testing::sizes::reduced;

#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_graphs_go_along_other_texts_each_time() {
    const LEN: usize = 200_000;
    let _no_faults = GRAPH_FAULTS.read();
    let place = Place::cuda();
    let (device, stream) = (&place.device, place.stream.as_ref().unwrap());
    let mut rng = Rng::new(1);
    let machine = Machine::new(Kind::Random, 20, 30, 5, &mut rng);
    let automaton = machine.automaton().unwrap();
    let mut input = to_cuda(stream, &vec![0u8; LEN]);
    let (mut kinds, mut places) = (device.filled(5 * LEN, 0u8).unwrap(), device.filled(5 * LEN, 0u32).unwrap());
    let mut count = Count::new(device).unwrap();
    let graph = {
        let _alone = CAPTURE.write();
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        let captured = automaton.run_counted(device, &input, &mut kinds, &mut places, &mut count);
        let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
        captured.unwrap();
        graph
    };
    for round in 0..20 {
        let text = text(LEN, [256, 2, 30][round % 3], &mut rng);
        stream.memcpy_htod(&text, &mut input).unwrap();
        graph.launch().unwrap();
        let expected = machine.events(&text);
        assert_eq!(count.get(), Ok(expected.len()), "round {round}");
        let (kinds, places) = (kinds.to_vec().unwrap(), places.to_vec().unwrap());
        assert!(
            expected
                .iter()
                .zip(kinds.iter().zip(&places))
                .all(|(event, (kind, at))| event.0 == *kind && event.1 as u32 == *at)
        );
    }
}

/// Two stretches of the same letter, each longer than 2^31 bytes.
#[test]
#[ignore = "needs a CUDA GPU"]
fn cuda_events_past_two_to_the_31() {
    use upsweep::automaton::{Automaton, Event, Step};
    if reduced() {
        return;
    }
    let _no_faults = GRAPH_FAULTS.read();
    let place = Place::cuda();
    let (first, second) = ((1usize << 31) + 77, (1usize << 31) + 5);
    let mut text = vec![b'a'; first + second];
    text[first..].fill(b'b');
    let lists = [&[][..], &[Event { kind: 1, back: 0 }], &[Event { kind: 2, back: 0 }]];
    let automaton = Automaton::new(3, &lists, |state, byte| {
        let next = byte.map_or(0, |byte| 1 + usize::from(byte == b'b'));
        Step { next, tells: if next == state { 0 } else { state } }
    })
    .unwrap();
    let input = place.device.upload(&text).unwrap();
    let events = automaton.run_to_events(&place.device, &input).unwrap();
    assert_eq!(events.kinds.to_vec().unwrap(), [1, 2]);
    assert_eq!(events.places.to_vec().unwrap(), [first as u64, (first + second) as u64]);
}
