//! Recorded passes survive JSON bit for bit, bytes from anywhere are refused as values, and pages escape whatever
//! they show.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use autodiff_core::report::{
    DecodeError, Document, EdgeRecord, ErrorRecord, FieldRecord, FieldValue, Graph, Limits, Number,
    OperationRecord, PassRecord, RejectionRecord, SavedValueRecord, TensorRecord, Watch,
    document_page, dot, graph_svg, ledger_svg, lifecycle_svg,
};
use autodiff_ops::prelude::*;
use proptest::prelude::*;

fn parameter<T: Element>(shape: &[usize], values: &[f64]) -> TensorValue<T> {
    let values = values.iter().map(|&value| T::from_f64(value)).collect();
    TensorValue::parameter(Tensor::from_vec(shape, values).unwrap()).unwrap()
}

/// A pass with a saved value of almost every kind, an operand that is not differentiated and a dead parameter.
fn document<T: Element>() -> Document {
    let limits = Limits::default();
    let x = parameter::<T>(&[2, 3], &[0.1, -0.2, 0.3, 1e-300, 5.0, -0.0]);
    let bias = parameter::<T>(&[3], &[1.0 / 3.0, 2.0, -4.0]);
    let dead = parameter::<T>(&[2], &[1.0, 1.0]);
    let weights = TensorValue::constant(x.value_snapshot()).unwrap();
    let ids = Tensor::from_vec([2], vec![1, 0]).unwrap();
    let output = keep_values(|| {
        concat(&[&x.add(&bias)?, &x.mul(&weights)?], 0)?
            .index_select(&ids, 0)?
            .mean_axis(1, true)?
            .sum_axis(0, false)
    });
    let output = output.unwrap();
    let named = [("x", &x), ("bias", &bias), ("dead", &dead)];
    let graph = Graph::of(&output).named(named);
    let watch = Watch::new(named, limits);
    let seed = Tensor::from_vec([1], vec![T::from_f64(0.7)]).unwrap();
    let pass = output
        .backward_with_seed_and_trace(&seed.view(), GraphRetention::Release)
        .unwrap();
    let mut document = Document::new("a test");
    document
        .passes
        .push(graph.record("the pass", &pass, limits).unwrap());
    document
        .passes
        .push(PassRecord::new("by itself", &pass, limits));
    document.events.push(watch.event("after"));
    let watch = Watch::new(named, limits);
    let error = output.backward().unwrap_err();
    document.rejections.push(watch.rejection("again", &error));
    document
}

fn round_trip(document: &Document) -> Document {
    let text = document.encode().unwrap();
    Document::decode(text.as_bytes()).unwrap()
}

#[test]
fn a_document_of_every_element_type_reads_back_equal() {
    for document in [
        document::<f64>(),
        document::<f32>(),
        document::<Dual<f64>>(),
    ] {
        assert_eq!(round_trip(&document), document);
        assert!(document.rejections[0].unchanged);
    }
}

#[test]
fn the_same_document_has_the_same_bytes() {
    let first = document::<f64>().encode().unwrap();
    assert_eq!(round_trip(&document::<f64>()).encode().unwrap(), first);
}

#[test]
fn tangents_of_dual_numbers_are_recorded() {
    let x = Tensor::scalar(Dual::new(2.0, 1.0));
    let x = TensorValue::parameter(x).unwrap();
    let pass = x.mul(&x).unwrap().backward_with_trace().unwrap();
    let record = PassRecord::new("square", &pass, Limits::default());
    // d(2x) = 2 dx, of which each operand use contributes one.
    assert_eq!(
        record.edges[0].contribution.tangents,
        Some(vec![Number(1.0)])
    );
}

proptest! {
    #[test]
    fn any_bits_in_any_field_survive(bits in proptest::collection::vec(any::<u64>(), 6), shape in 1..4_usize) {
        let numbers: Vec<Number> = bits.iter().map(|bits| Number(f64::from_bits(*bits))).collect();
        let mut document = document::<f64>();
        let edge = &mut document.passes[0].edges[0];
        edge.contribution.values = vec![numbers[0]; edge.contribution.values.len()];
        edge.saved[0].value = SavedValueRecord::Number(numbers[1]);
        document.rejections[0].error.fields = vec![
            FieldRecord { name: "value".to_owned(), value: FieldValue::Number(numbers[2]) },
            FieldRecord { name: "revision".to_owned(), value: FieldValue::Count(bits[3]) },
            FieldRecord { name: "shape".to_owned(), value: FieldValue::Shape(vec![usize::MAX; shape]) },
        ];
        prop_assert_eq!(round_trip(&document), document);
    }

    #[test]
    fn any_text_survives(text: String) {
        let mut document = document::<f64>();
        document.title.clone_from(&text);
        document.passes[0].nodes[0].operation.name.clone_from(&text);
        document.rejections[0].error.message = text;
        prop_assert_eq!(round_trip(&document), document);
    }

    /// Whatever decodes can be drawn: nothing that renders a document relies on more than decoding checks.
    #[test]
    fn damaged_bytes_are_refused_or_can_be_drawn(
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        digits: bool,
    ) {
        let mut bytes = document::<f64>().encode().unwrap().into_bytes();
        for (place, byte) in places {
            let place = place.index(bytes.len());
            // Other digits in place of digits leave JSON behind more often than not.
            if !digits {
                bytes[place] = byte;
            } else if bytes[place].is_ascii_digit() {
                bytes[place] = b'0' + byte % 10;
            }
        }
        if let Ok(document) = Document::decode(&bytes) {
            draw_everything(&document);
        }
    }
}

fn draw_everything(document: &Document) -> usize {
    let pictures = document
        .passes
        .iter()
        .flat_map(|pass| [graph_svg(pass), ledger_svg(pass), dot(pass)]);
    let page = document_page(document);
    let life = lifecycle_svg(document).unwrap_or_default();
    pictures.map(|picture| picture.len()).sum::<usize>() + page.len() + life.len()
}

/// The error of a document with one piece of its JSON replaced.
fn refusal(piece: &str, other: &str) -> DecodeError {
    let text = document::<f64>().encode().unwrap();
    let damaged = text.replacen(piece, other, 1);
    assert!(damaged != text, "{piece} is not there");
    Document::decode(damaged.as_bytes()).unwrap_err()
}

#[test]
fn another_format_or_version_is_told_before_anything_else() {
    assert_eq!(
        refusal("\"version\":1", "\"version\":2"),
        DecodeError::Version { found: 2 }
    );
    let unknown = br#"{"format":"autodiff-trace","version":9,"of":{"the":"future"}}"#;
    assert_eq!(
        Document::decode(unknown),
        Err(DecodeError::Version { found: 9 })
    );
    assert_eq!(
        refusal("autodiff-trace", "another"),
        DecodeError::Format {
            found: "another".to_owned()
        }
    );
}

#[test]
fn contradictions_are_refused_with_their_place() {
    for (piece, other, message) in [
        (
            "\"index\":0",
            "\"index\":7",
            "trace: pass 0, node 0, index: expected 0, got 7",
        ),
        (
            "\"parent\":0",
            "\"parent\":99",
            "trace: pass 0, operand use 0: expected a parent below 3, got 99",
        ),
        (
            "\"child\":3",
            "\"child\":1000000",
            "trace: pass 0, operand use 0: expected a child below 9, got 1000000",
        ),
        (
            "\"seed\":{\"shape\":[1]",
            "\"seed\":{\"shape\":[0]",
            "trace: pass 0, seed: expected at most 0 elements, got 1",
        ),
        (
            "\"seed\":{\"shape\":[1]",
            "\"seed\":{\"shape\":[18446744073709551615,2]",
            "trace: pass 0, seed: expected a shape that can be counted, got [18446744073709551615, 2]",
        ),
    ] {
        assert_eq!(refusal(piece, other).to_string(), message);
    }
}

#[test]
fn bytes_that_are_no_json_of_the_schema_are_refused() {
    let deep = "[".repeat(100_000);
    let inside = format!(r#"{{"format":"autodiff-trace","version":1,"title":{deep}"#);
    for text in [
        "",
        "{",
        "null",
        "[]",
        &deep,
        &inside,
        "\u{feff}{}",
        r#"{"format":"autodiff-trace","version":-1}"#,
        r#"{"format":"autodiff-trace","version":1}"#,
        r#"{"format":"autodiff-trace","format":"autodiff-trace","version":1}"#,
    ] {
        let outcome = Document::decode(text.as_bytes());
        assert!(
            matches!(outcome, Err(DecodeError::Malformed { .. })),
            "{outcome:?}"
        );
    }
    assert!(matches!(
        refusal("\"title\"", "\"titel\""),
        DecodeError::Malformed { line: 1, .. }
    ));
    assert!(Document::decode(b"{\"format\":\"\xff\"}").is_err());
}

#[test]
fn a_page_counts_the_values_that_were_let_go_and_calls_parameters_by_their_names() {
    let page = |keeps: bool| {
        let weight = parameter::<f64>(&[2], &[3.0, -5.0]);
        let forward = || weight.mul(&weight)?.sum_axis(0, false);
        let loss = if keeps {
            keep_values(forward)
        } else {
            forward()
        }
        .unwrap();
        let graph = Graph::of(&loss).named([("the weight", &weight)]);
        let pass = loss.backward_with_trace().unwrap();
        let record = graph.record("one step", &pass, Limits::default()).unwrap();
        let mut document = Document::new("a step");
        document.passes.push(record);
        document_page(&document)
    };
    let without = "Nodes without a value: 1. A value is recorded";
    assert!(page(false).contains(without));
    let whole = page(true);
    assert!(!whole.contains("without a value"), "{whole}");
    assert!(whole.contains("operand 1 of 1 multiply from 0 parameter the weight: contribution"));
    assert!(whole.contains("1 parameter was reached. None is dead"));
}

#[test]
fn large_tensors_are_summarised_above_the_limit_that_is_asked_for() {
    let x = parameter::<f64>(&[10, 10], &[2.0; 100]);
    let pass = x.sum_axis(0, false).unwrap();
    let graph = Graph::of(&pass);
    let seed = Tensor::ones([10]).unwrap();
    let pass = pass
        .backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
        .unwrap();
    let kept = |limits| {
        let record = graph.record("sum", &pass, limits).unwrap();
        record.nodes[0].value.clone().unwrap()
    };
    let summary = kept(Limits::default());
    assert_eq!((summary.values.len(), summary.is_whole()), (8, false));
    assert_eq!(summary.statistics.unwrap().norm, Number(20.0));
    let whole = kept(Limits {
        whole: 100,
        first: 8,
    });
    assert!(whole.is_whole());
}

#[test]
fn a_graph_of_another_pass_is_refused() {
    let x = parameter::<f64>(&[1], &[1.0]);
    let square = x.mul(&x).unwrap().sum_axis(0, false).unwrap();
    let pass = square.backward_with_trace().unwrap();
    let graph = Graph::of(&x.add(&x).unwrap());
    let refused = graph.record("", &pass, Limits::default()).unwrap_err();
    assert_eq!((refused.recorded, refused.passed), (2, 3));
}

/// The square of every element, under a name that is no name.
#[vjp_rule(name = "<script>alert(\"'é\")</script>")]
#[gradcheck(x: [m])]
fn hostile<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
    /// </title><img src=x onerror="alert(1)"> & twice
    #[vjp(x)]
    fn x_vjp(upstream: &Tensor<T>, x: &Tensor<T>) -> Result<Tensor<T>> {
        upstream.zip_map(x, |u, x| u * x * T::from_f64(2.0))
    }
    Ok(x.map(|x| x * x))
}

#[test]
fn hostile_names_and_values_are_escaped_everywhere() {
    let x = parameter::<f64>(&[2], &[3.0, 4.0]);
    let y = x.hostile().unwrap();
    let name = "\"><svg onload=alert(1)>\u{202e}\0";
    let graph = Graph::of(&y).named([(name, &x)]);
    let seed = Tensor::ones([2]).unwrap();
    let pass = y
        .backward_with_seed_and_trace(&seed.view(), GraphRetention::Retain)
        .unwrap();
    let limits = Limits::default();
    let mut document = Document::new("</style></title><script>");
    document
        .passes
        .push(graph.record("<b>", &pass, limits).unwrap());
    let watch = Watch::new([(name, &x)], limits);
    let error = TensorAutodiffError::NonFinitePassAdjoint {
        node: 0,
        index: 1,
        previous: f64::NAN,
        contribution: f64::NEG_INFINITY,
    };
    document.events.push(watch.event("<i>"));
    document.rejections.push(watch.rejection("<u>", &error));

    let page = document_page(&document);
    // The page's own script and style, and nothing else that is not text.
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</style>").count(), 1);
    assert_eq!(
        page.matches("<title>").count(),
        1 + document.passes[0].edges.len()
    );
    assert!(page.contains("&lt;script&gt;alert(&quot;'é&quot;)&lt;/script&gt;"));
    assert!(page.contains("NaN") && page.contains("-inf"));
    let pass = &document.passes[0];
    let pictures = [
        graph_svg(pass),
        ledger_svg(pass),
        lifecycle_svg(&document).unwrap(),
    ];
    for text in pictures.iter().chain([&page]) {
        for tag in [
            "<img",
            "<svg onload",
            "<b>alert",
            "<i>a",
            "<u>a",
            "<script>a",
            "\u{202e}",
            "\0",
        ] {
            assert!(!text.contains(tag), "{tag}");
        }
    }
    let graphviz = dot(pass);
    // Every quote inside a label is escaped, so the number of bare ones is even.
    let bare = graphviz.replace("\\\\", "").replace("\\\"", "");
    assert_eq!(bare.matches('"').count() % 2, 0);
    assert_eq!(bare.lines().count(), graphviz.lines().count());
}

#[test]
fn a_name_of_any_length_is_written_in_full_once_not_once_for_every_use() {
    let mut document = document::<f64>();
    let long = "n".repeat(1 << 20);
    for pass in &mut document.passes {
        pass.nodes[0].operation.name.clone_from(&long);
    }
    let size = document_page(&document).len();
    assert!(size < 3 << 20, "{size}");
}

#[test]
fn a_shape_of_any_rank_is_not_written_in_full_for_every_use_of_its_node() {
    let mut document = document::<f64>();
    let pass = &mut document.passes[1];
    let edge = pass.edges[0].clone();
    pass.edges = (0..2_000)
        .map(|index| EdgeRecord {
            index,
            ..edge.clone()
        })
        .collect();
    let node = &mut pass.nodes[edge.parent];
    (node.value, node.adjoint, node.gradient) = (None, None, None);
    node.shape = vec![1; 100_000];
    let document = round_trip(&document);
    let size = draw_everything(&document);
    // Less than two shapes' worth of digits for each of 2000 rows would still be 400 megabytes.
    assert!(size < 20_000_000, "{size}");
}

#[test]
fn dead_parameters_and_the_source_of_a_number_that_is_not_finite_are_named() {
    let page = document_page(&document::<f64>());
    assert!(page.contains("dead"), "{page}");
    assert!(page.contains("not reached by the pass"));

    let x = parameter::<f64>(&[1], &[0.0]);
    let y = x.sqrt().unwrap().sum_axis(0, false).unwrap();
    let graph = Graph::of(&y).named([("x", &x)]);
    let error = y.backward_with_trace().unwrap_err();
    let limits = Limits::default();
    let mut document = Document::new("stopped");
    document
        .passes
        .push(PassRecord::refused("the pass", &graph, limits));
    document
        .rejections
        .push(Watch::new([("x", &x)], limits).rejection("the reverse pass", &error));
    let page = document_page(&document);
    assert!(page.contains("Stopped: the reverse pass"), "{page}");
    assert!(page.contains(
        "Source: operation autodiff_ops::elementwise::power::sqrt, from node 1 sqrt to node 0 parameter x"
    ));
    assert!(page.contains("node fault"));
    assert_eq!(round_trip(&document), document);
}

#[test]
fn a_trace_of_ten_thousand_nodes_is_a_page_of_less_than_ten_megabytes() {
    // Two operands each, one of them a parameter that every node uses: the worst for lines and rows.
    let width = 16;
    let x = parameter::<f64>(&[width], &vec![1e-3; width]);
    let mut y = x.clone();
    for _ in 1..10_000 {
        y = y.add(&x).unwrap();
    }
    let graph = Graph::of(&y);
    let seed = Tensor::full([width], 1.0 / 3.0).unwrap();
    let pass = y
        .backward_with_seed_and_trace(&seed.view(), GraphRetention::Release)
        .unwrap();
    let record = graph.record("long", &pass, Limits::default()).unwrap();
    assert_eq!((record.nodes.len(), record.edges.len()), (10_000, 19_998));
    let mut document = Document::new("ten thousand nodes");
    document.passes.push(record);
    let started = std::time::Instant::now();
    let page = document_page(&document);
    println!("{} bytes in {:?}", page.len(), started.elapsed());
    assert!(page.len() < 10_000_000, "{}", page.len());
    // Every node and every edge is there to be linked to.
    assert!(page.contains("id=\"p0-n9999\"") && page.contains("id=\"p0-e19997\""));
    assert_eq!(round_trip(&document), document);
}

#[test]
fn records_can_be_made_and_compared_without_a_pass() {
    let tensor = TensorRecord::new(&Tensor::<f64>::ones([2]).unwrap(), Limits::default());
    let rejection = RejectionRecord {
        title: "by hand".to_owned(),
        error: ErrorRecord {
            kind: "Mine".to_owned(),
            message: "mine".to_owned(),
            fields: vec![FieldRecord {
                name: "operation".to_owned(),
                value: FieldValue::Operation(OperationRecord {
                    name: "mine".to_owned(),
                    path: "mine::mine".to_owned(),
                }),
            }],
        },
        unchanged: true,
        before: Vec::new(),
        after: Vec::new(),
    };
    let mut document = Document::new("by hand");
    document.rejections.push(rejection);
    assert_eq!(round_trip(&document), document);
    assert!(tensor.is_whole());
}
