from index_samples import EMBEDDER, document, open_collection, open_writer, part
from local_corpus import grade_request, graded


def test_what_a_file_is_called_counts_as_held(tmp_path):
    """It has no title, and its text does not say what it is."""
    with open_writer(tmp_path, "railway", EMBEDDER.identity) as writer:
        text = "Consultation 38.00. Vaccine 21.50. Paid by card."
        writer.put(document("vet_bill.txt", title=None), [part("vet_bill.txt", text)])
        writer.put(document("fares.txt", title=None), [part("fares.txt", "A return ticket.")])
    collection = open_collection(tmp_path, "railway", EMBEDDER)
    request = grade_request(collection, "How much was the vet bill?")
    told = zip(request.chunks, graded(request, collection).grades, strict=True)
    grades = {chunk["source"]: grade for chunk, grade in told}
    assert "covers 'bill', 'vet'" in (grades["vet_bill.txt"]["reason"] or "")
    collection.close()
